/** Thrown when settings are wrong: its message has a line for each, with the variable's name. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(problems: readonly string[]) {
    super(problems.map((problem) => `Wrong setting: ${problem}`).join('\n'));
  }
}
