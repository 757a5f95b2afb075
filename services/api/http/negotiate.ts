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
