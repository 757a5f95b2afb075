/** Why a file cannot be taken as an export. `at` names the place of the damage: a byte offset, a message or a path. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
  readonly at: string | undefined;

  constructor(message: string, at?: string) {
    super(message);
    this.at = at;
  }
}
