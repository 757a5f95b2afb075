import { validateHeaderName, validateHeaderValue, type ServerResponse } from 'node:http';

/**
 * Turns headers into lines of a response's head, each ending with CRLF. In `headers`, names and values alternate.
 * Throws TypeError for a name or value that Node would refuse.
 */
export function headLines(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!];
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** Turns lines of a head back into a list in which names and values alternate. */
export function namesAndValues(lines: string): string[] {
  return lines
    .split('\r\n')
    .slice(0, -1)
    .flatMap((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}

/** Sets the headers in these lines on a response. */
export function setLines(response: ServerResponse, lines: string): void {
  setAll(response, namesAndValues(lines));
}

/** Sets headers on a response. In `headers`, names and values alternate. */
export function setAll(response: ServerResponse, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) {
    response.setHeader(headers[at]!, headers[at + 1]!);
  }
}
