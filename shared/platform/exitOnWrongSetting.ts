import { SettingsError } from './settingsError.js';

/**
 * The result of a step of a process's start. A wrong setting ends the process with its lines and exit code 1, without a
 * trace.
 */
export async function exitOnWrongSetting<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
