import { join } from 'node:path';
import type { MavenSource } from './artifacts.js';
import type { DownloadContext } from './pipDownload.js';
import { requireMaven } from './requireTools.js';

const GET = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get';

/** Downloads a zip by Maven, into a repository of its own in the folder, and resolves with the path of the zip. */
export async function mavenDownload(
  source: MavenSource,
  context: DownloadContext,
): Promise<string> {
  const { title, folder, env, otherwise } = context;
  const { groupId, artifactId, version } = source;
  const mvn = await requireMaven(env);
  const repository = join(folder, 'repository');
  const artifact = `${groupId}:${artifactId}:${version}:zip`;
  const options = ['-B', '-q', `-Dmaven.repo.local=${repository}`];
  await context.children.run(
    {
      command: mvn,
      args: [...options, GET, `-Dartifact=${artifact}`, '-Dtransitive=false'],
      cwd: folder,
      env,
      logFile: context.logFile,
    },
    `Maven could not download ${artifact} (${title}). Check the network, or set a proxy or mirror in Maven's settings. ${otherwise}`,
  );
  const place = [...groupId.split('.'), artifactId, version, `${artifactId}-${version}.zip`];
  return join(repository, ...place);
}
