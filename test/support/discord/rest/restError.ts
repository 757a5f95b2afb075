/** An error of the API: a status, one of the platform's codes, and its text. */
export class RestError extends Error {
  readonly status: number;
  readonly code: number;
  /** For an invalid form: what is wrong with which field. */
  readonly errors: object | undefined;

  constructor(status: number, code: number, message: string, errors?: object) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  /** The body of the answer. */
  get body(): object {
    const { message, code, errors } = this;
    return { message, code, ...(errors ? { errors } : {}) };
  }
}

export const unknownChannel = (): RestError => new RestError(404, 10_003, 'Unknown Channel');
export const unknownGuild = (): RestError => new RestError(404, 10_004, 'Unknown Guild');
export const unknownMember = (): RestError => new RestError(404, 10_007, 'Unknown Member');
export const unknownMessage = (): RestError => new RestError(404, 10_008, 'Unknown Message');
export const missingAccess = (): RestError => new RestError(403, 50_001, 'Missing Access');
export const wrongKind = (): RestError =>
  new RestError(400, 50_024, 'Cannot execute action on this channel type');
export const notFound = (): RestError => new RestError(404, 0, '404: Not Found');
export const unauthorized = (): RestError => new RestError(401, 0, '401: Unauthorized');

/** The error for a parameter or field that is not valid. */
export function invalidForm(field: string, code: string, message: string): RestError {
  const errors = { [field]: { _errors: [{ code, message }] } };
  return new RestError(400, 50_035, 'Invalid Form Body', errors);
}
