export type Encoding = 'gzip' | 'identity';

/** The encoding to answer in, by Accept-Encoding (RFC 9110, 12.5.3); gzip where the client likes both the same. */
export function chooseEncoding(header: string | undefined, gzipOffered: boolean): Encoding {
  if (!header) return 'identity';
  const weights = parseWeights(header);
  const any = weights.get('*');
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? any ?? 0;
  const identity = weights.get('identity');
  const identityRefused = (identity ?? any) === 0;
  if (gzip === 0) return 'identity';
  if (identityRefused) return 'gzip';
  return gzipOffered && gzip >= (identity ?? 0) ? 'gzip' : 'identity';
}

/** Headers whose class is remembered. Browsers send few different ones. */
const MOST_KNOWN = 256;
const classes = new Map<string, string>();

/**
 * Names the clients that get the same encoding, whether gzip is offered or not. The class of those that take both, and
 * rather gzip, is empty.
 */
export function encodingClass(header = ''): string {
  let found = classes.get(header);
  if (found === undefined) {
    const [offered, otherwise] = [chooseEncoding(header, true), chooseEncoding(header, false)];
    found = offered === 'identity' ? 'identity ' : otherwise === 'gzip' ? 'gzip ' : '';
    if (classes.size >= MOST_KNOWN) classes.clear();
    classes.set(header, found);
  }
  return found;
}

/** The weight (0 to 1) of each coding of an Accept-Encoding header, in lower case. */
function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    if (coding) weights.set(coding, weightOf(parameters));
  }
  return weights;
}

function weightOf(parameters: string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  if (q === undefined) return 1;
  const weight = Number.parseFloat(q.slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}
