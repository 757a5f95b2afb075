/** Wrong settings. The message has a line for each, with the name of the variable. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(problems: readonly string[]) {
    super(problems.map((problem) => `Wrong setting: ${problem}`).join('\n'));
  }
}
