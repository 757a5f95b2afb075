import { SettingsError } from './settingsError.js';

/**
 * Runs a step of a process's start, and returns its result. Where the step throws SettingsError, the process prints its
 * message without a stack trace, and exits with code 1.
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
