import { expect } from 'chai';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findJava, javaProblem, parseJavaFacts } from '../../../services/local/findJava.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

const output = (version: string, ...modules: string[]): string =>
  [
    'Property settings:',
    '    java.home = /opt/jdk',
    `    java.specification.version = ${version}`,
    `    java.vm.specification.version = ${version}`,
    `java.base@${version}.0.1`,
    ...modules.map((name) => `${name}@${version}.0.1`),
  ].join('\n');

async function installJava(home: string, text: string): Promise<void> {
  await mkdir(join(home, 'bin'), { recursive: true });
  await writeFile(join(home, 'bin/java'), `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`);
  await chmod(join(home, 'bin/java'), 0o755);
}

describe('findJava', () => {
  it('reads home, version and missing modules', () => {
    expect(parseJavaFacts(output('25', 'jdk.jdi', 'jdk.jlink'))).to.deep.equal({
      home: '/opt/jdk',
      version: 25,
      missing: [],
    });
    expect(parseJavaFacts(output('21', 'jdk.jdi'))?.missing).to.deep.equal(['jdk.jlink']);
  });

  it('reads the old way of counting versions', () => {
    expect(parseJavaFacts(output('1.8'))?.version).to.equal(8);
  });

  it('does not take other output for a Java', () => {
    expect(parseJavaFacts('command not found')).to.equal(undefined);
  });

  it('refuses an old Java and a mere runtime, saying why', () => {
    expect(javaProblem({ home: '/j', version: 17, missing: [] })).to.equal('version 17');
    expect(javaProblem({ home: '/j', version: 21, missing: ['jdk.jlink'] })).to.equal(
      'a runtime without jdk.jlink',
    );
    expect(javaProblem({ home: '/j', version: 21, missing: [] })).to.equal(undefined);
  });

  it('passes over an unfit JAVA_HOME and takes a fit one of the installed', () =>
    withTemporaryFolder(async (folder) => {
      await installJava(join(folder, 'old'), output('17', 'jdk.jdi', 'jdk.jlink'));
      await installJava(join(folder, 'jvm/new'), output('21', 'jdk.jdi', 'jdk.jlink'));
      const env = { JAVA_HOME: join(folder, 'old'), PATH: '' };
      expect(await findJava(env, undefined, join(folder, 'jvm'))).to.equal('/opt/jdk');
    }));

  it('says what was found and what to do when none is fit', () =>
    withTemporaryFolder(async (folder) => {
      await installJava(join(folder, 'old'), output('17', 'jdk.jdi', 'jdk.jlink'));
      const env = { ES_JAVA_HOME: join(folder, 'old'), PATH: '' };
      const message = await rejectionOf(findJava(env, undefined, join(folder, 'none')));
      expect(message).to.contain('JDK 21 or newer');
      expect(message).to.contain('old/bin/java: version 17');
      expect(message).to.contain('ES_JAVA_HOME');
    }));
});
