import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '../../shared/platform/env.js';
import { prepareElasticsearchFolder, type ElasticsearchFolders } from './elasticsearchFolder.js';
import { isExecutable, type Env } from './findExecutable.js';
import { serverEnv, type LocalServer, type ServerContext } from './localServer.js';
import { otherUser } from './otherUser.js';
import { isRecovered } from './recoveredIndexes.js';
import { waitUntilReady } from './waitUntilReady.js';

/** What runs an Elasticsearch: its home, and a JDK where the home brings none. */
export interface ElasticsearchProgram {
  home: string;
  java?: string;
}

/** The ports of a node: for HTTP, and for the transport that only Elasticsearch nodes use. */
export interface ElasticsearchPorts {
  http: number;
  transport: number;
}

/** The setting of a node that is alone. */
const ALONE = 'discovery.type: single-node';

/**
 * Starts an Elasticsearch node on the loopback address with security off. Where this process is root, the node runs as
 * the user nobody. `discovery` are its settings as a member of a cluster. Without them it is alone. Resolves when it has
 * opened its indexes, apart from damaged ones.
 */
export async function startElasticsearch(
  program: ElasticsearchProgram,
  ports: ElasticsearchPorts,
  { env, dataDir, logs, children }: ServerContext,
  discovery = ALONE,
): Promise<LocalServer> {
  const user = otherUser();
  const folders = await prepareElasticsearchFolder(
    dataDir,
    program.home,
    (places) => settings(ports, places, discovery),
    user,
  );
  const child = children.spawn({
    ...(await commandOf(program, folders)),
    cwd: program.home,
    user,
    env: serverEnv(env, elasticsearchEnv(program, folders, env)),
    logFile: join(logs, 'elasticsearch.log'),
    graceMs: 20_000,
  });
  const url = `http://127.0.0.1:${ports.http}`;
  await waitUntilReady('Elasticsearch', child, () => isRecovered(url), 300_000);
  return { name: 'Elasticsearch', url, child };
}

// A write must not create an index, because the services create indexes with their mapping. The disk of a laptop may be
// nearly full, so no limits of the disk are enforced. `http.cors.enabled` allows no site, as none is named. It has the
// node refuse what pages of other sites send. Without it, the node would do what they ask for (empty an index, say), and
// only hide the answer from them.
const settings = (
  ports: ElasticsearchPorts,
  folders: ElasticsearchFolders,
  discovery: string,
): string => `cluster.name: forum-archive-local
${discovery}
http.host: 127.0.0.1
http.port: ${ports.http}
transport.host: 127.0.0.1
transport.port: ${ports.transport}
path.data: ${JSON.stringify(folders.data)}
path.logs: ${JSON.stringify(folders.logs)}
http.cors.enabled: true
xpack.security.enabled: false
action.auto_create_index: false
cluster.routing.allocation.disk.threshold_enabled: false
`;

function elasticsearchEnv(
  { home, java }: ElasticsearchProgram,
  folders: ElasticsearchFolders,
  env: Env,
): Env {
  const { LOCAL_ES_HEAP: heap } = readSettings(env);
  const more = env['LOCAL_ES_JAVA_OPTS'] ?? '';
  const own = java === undefined ? {} : { ES_JAVA_HOME: java, JAVA: join(java, 'bin/java') };
  return {
    ...own,
    // Otherwise Java cannot use a path with other letters than those of ASCII where the user's locale has none.
    LC_ALL: 'C.UTF-8',
    HOME: folders.temporary,
    ES_HOME: home,
    ES_PATH_CONF: folders.config,
    ES_TMPDIR: folders.temporary,
    ES_DISTRIBUTION_TYPE: 'tar',
    JAVA_TYPE: 'ES_JAVA_HOME',
    ES_JAVA_OPTS: `-Xms${heap} -Xmx${heap} ${more}`.trimEnd(),
  };
}

// A whole distribution has a start script. The pinned copy has none, so its launcher class is called as the script
// does.
async function commandOf(
  { home, java }: ElasticsearchProgram,
  folders: ElasticsearchFolders,
): Promise<{ command: string; args: string[] }> {
  const script = join(home, 'bin/elasticsearch');
  if (java === undefined || (await isExecutable(script))) {
    return { command: script, args: [] };
  }
  await mkdir(join(home, 'plugins'), { recursive: true });
  const properties = {
    'es.path.home': home,
    'es.path.conf': folders.config,
    'es.distribution.type': 'tar',
    'es.java.type': 'ES_JAVA_HOME',
  };
  const args = [
    '-Xms4m',
    '-Xmx64m',
    '-XX:+UseSerialGC',
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    '-cp',
    join(home, 'lib/tools/server-launcher/*'),
    'org.elasticsearch.server.launcher.ServerLauncher',
  ];
  return { command: join(java, 'bin/java'), args };
}
