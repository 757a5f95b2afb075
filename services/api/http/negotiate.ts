export type Encoding = 'gzip' | 'identity';

/** The encoding that a client gets. */
interface Choice {
  /** Where gzip is offered. */
  offered: Encoding;
  /** Where gzip is not offered. */
  otherwise: Encoding;
}

/** The encoding to answer in, by Accept-Encoding (RFC 9110, 12.5.3). It is gzip where the client likes both equally. */
export function chooseEncoding(header: string | undefined, gzipOffered: boolean): Encoding {
  const { offered, otherwise } = choiceOf(header ?? '');
  return gzipOffered ? offered : otherwise;
}

/**
 * Names the class of clients that get the same encodings, with and without gzip on offer. For clients that take both
 * and prefer gzip, the name is empty.
 */
export function encodingClass(header = ''): string {
  const { offered, otherwise } = choiceOf(header);
  if (offered === 'identity') return 'identity ';
  return otherwise === 'gzip' ? 'gzip ' : '';
}

/** How many headers are remembered. Browsers send few different ones. */
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

/** The most codings of a header that are read. Fewer exist, but a header has room for thousands. */
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
