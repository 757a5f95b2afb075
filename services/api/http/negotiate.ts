export type Encoding = 'gzip' | 'identity';

/** The encodings that a client gets. */
interface Choice {
  /** Of an answer that is offered as gzip. */
  offered: Encoding;
  /** Of any other answer. */
  otherwise: Encoding;
}

/**
 * The encoding of an answer by the Accept-Encoding header (RFC 9110, 12.5.3). `gzipOffered`: whether the answer is
 * offered as gzip. Such an answer is sent as gzip where the client accepts gzip and does not prefer identity. Without
 * the header, the encoding is identity.
 */
export function chooseEncoding(header: string | undefined, gzipOffered: boolean): Encoding {
  const { offered, otherwise } = choiceOf(header ?? '');
  return gzipOffered ? offered : otherwise;
}

/**
 * A name for all Accept-Encoding headers with the same choice of encodings. It is empty for the most usual choice: gzip
 * where it is offered, else identity.
 */
export function encodingClass(header = ''): string {
  const { offered, otherwise } = choiceOf(header);
  if (offered === 'identity') return 'identity ';
  return otherwise === 'gzip' ? 'gzip ' : '';
}

/** How many headers are remembered at most. Browsers send few different ones. */
const MOST_KNOWN = 256;
const known = new Map<string, Choice>();

function choiceOf(header: string): Choice {
  let choice = known.get(header);
  if (!choice) {
    choice = { offered: choose(header, true), otherwise: choose(header, false) };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(header, choice);
  }
  return choice;
}

function choose(header: string, gzipOffered: boolean): Encoding {
  const weights = parseWeights(header);
  const any = weights.get('*');
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? any ?? 0;
  const identity = weights.get('identity');
  const identityRefused = (identity ?? any) === 0;
  if (gzip === 0) return 'identity';
  if (identityRefused) return 'gzip';
  return gzipOffered && gzip >= (identity ?? 0) ? 'gzip' : 'identity';
}

/** How many codings of a header are read at most. Fewer exist, but a header has room for thousands. */
const MOST_CODINGS = 64;

/** The weight (0 to 1) of each coding in an Accept-Encoding header. Names are in lower case. */
function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',', MOST_CODINGS)) {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    weights.set(coding, weightOf(parameters));
  }
  return weights;
}

function weightOf(parameters: string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  if (q === undefined) return 1;
  const weight = Number.parseFloat(q.slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}
