import anyAscii from 'any-ascii';
import { countPieces, firstPieces } from './countPieces.js';
import { bareWord, wordTerm, type ParsedQuery, type SearchTerm } from './parseQuery.js';
import { SOUTHEAST_ASIAN_LETTER, SPACELESS_LETTER } from './scripts.js';

/**
 * Words that hold sentences together but say nothing about their subject, by language. They are folded as in the index.
 */
const FUNCTION_WORDS = {
  english:
    'a about after again all also am an and another any anybody anyone anything are arent around as at be because been before being both but by can cannot cant could couldnt did didnt do does doesnt doing done dont each either else ever every everyone for from get gets getting give go goes going got had has hasnt have havent having he hello help her here hey hi him his how i id if ill im in into is isnt it its ive just know let lets like made make makes many may me might mine more most much must my need needs no nobody none nor not of off on one only onto or other our out over own people per please possible put really same see seem seems shall she should shouldnt so some somebody someone something still such tell than thank thanks that thats the their them then there theres these they thing things this those to too try trying up us use used using very want wants was wasnt way we well were werent what whats when where wheres which while who whom whose why will with without wont would wouldnt yes yet you your youre',
  german:
    'aber alle als also am an auch auf aus bei beim bin bis bitte da damit dann das dass dein dem den denn der des dich die dies diese dieser doch dort du durch ein eine einem einen einer eines er es etwas euch fur gibt habe haben hallo hat hatte hier ich ihr im immer in ist ja jemand kann kannst kein keine konnen machen mal man mein meine mich mit muss nach nicht noch nur ob oder ohne schon sehr sein seine sich sie sind so soll um und uns unter vom von vor war warum was weiss wenn wer werden wie wieder wir wird wo wurde zu zum zur',
  french:
    'ai au aussi aux avec avez avoir bonjour car ce cela ces cet cette comme comment dans de des dois donc du elle elles en est et etre eu fait faire faut il ils j je la le les leur lui ma mais me mes moi mon ne ni nos notre nous on ont ou par pas peut peux plus pour pourquoi quand que quel quelle quelles quels quelqu qu qui quoi sa sans se ses si son sont sur ta te tes toi ton tous tout tres tu un une vos votre vous y',
  spanish:
    'a al algo alguien antes aqui asi aunque cada como con cual cuales cuando cuanto de del desde donde dos el ella ellos en entre era es esa ese eso esta estan estas este esto estoy fue gracias ha hace hacer hay hola la las le les lo los mas me mi mis mucho muy nada ni no nos o otra otro para pero poco por porque puede puedo que quien se ser si sin sobre solo son soy su sus tambien te tengo tiene todo todos tu tus un una uno usar y ya yo',
  italian:
    'a ad agli ai al alla alle anche avere che chi ci ciao come con cosa cui da dal dalla dei del della delle di dove e ed essere fare gli ha hai hanno ho i il in io la le lei lo loro lui ma mi mio ne nel nella non o per perche piu posso puo qual quale quando quello questa questo se sei si sono sta su sua suo ti tra tu un una uno',
  portuguese:
    'a ao aos as com como da das de dela dele do dos e ela ele em entre era essa esse esta estao este eu foi ha isso isto ja la lhe mais mas me meu minha muito na nao nas nem no nos nossa o ola onde os ou para pela pelo pode por porque posso qual quando que quem se sem ser seu so sua tem tenho tu um uma usar voce',
  dutch:
    'aan al als bij dan dat de deze die dit doe door een en er geen had hallo heb hebben heeft het hij hoe hun iemand ik in is ja je kan kun maar me meer met mijn moet na naar niet nog nu of om onder ons ook op over te tot uit van veel voor waar waarom wat we wel werd wie wij wil worden wordt zal ze zich zijn zo zou',
  russian:
    'а без бы был была были было быть в вам вас во вот все всех вы где да для до его ее если есть еще же за и из или им их к как какая какие какой когда кто ли мне можно мой мы на надо нам нас не него нет ни но ну о об он она они оно от по под почему при про с сам свой себя со так такой там то того тоже только ты у уже чего чем что чтобы эта эти это этого этот я',
  polish:
    'aby ale bez bo by byc byl byla co czy dla do gdy gdzie go i ich ile ja jak jaka jaki jakie jako jego jej jest jestem juz kiedy kto ktora ktore ktory lub ma mam mi mnie moge moj moze mozna na nad nie niz o od on ona oni po pod przez przy sa sie sobie swoj ta tak tam te tego tej ten to tu tutaj ty tylko w wiec za ze zeby',
} as const;

type Language = keyof typeof FUNCTION_WORDS;

const wordsOf = new Map(
  Object.entries(FUNCTION_WORDS).map(([language, words]) => [
    language as Language,
    new Set(words.split(' ')),
  ]),
);

/**
 * Function words of other languages that tell something in English. One alone makes no query foreign: `car antenna`,
 * `door sensor`, `pi hat`.
 */
const TELLING_IN_ENGLISH = new Set(
  'ad ai bin car ci com come die door dos era ha hat io man nas os par plus pod pour solo son su ten todo ton van war'.split(
    ' ',
  ),
);

const ofAnyLanguage = new Set([...wordsOf.values()].flatMap((words) => [...words]));

/** Whether a word says nothing about a subject, in any of the languages here. */
export function isFunctionWord(word: string): boolean {
  return ofAnyLanguage.has(foldWord(word));
}

/** Whether a word says nothing about a subject in a query that is foreign or not. */
export function isFunctionWordIn(word: string, areForeign: boolean): boolean {
  return isFunctionWord(word) && (areForeign || !TELLING_IN_ENGLISH.has(foldWord(word)));
}

/**
 * Whether a query is clearly in a language other than English: it holds more function words of that language than of
 * English. If it holds only one of them, this word must not tell anything in English.
 */
export function isForeign(query: { terms: readonly SearchTerm[] }): boolean {
  return wordsOfLanguage(query).length > 0;
}

/** The function words of a foreign query that its language does not share with English. */
export function foreignWordsIn(query: { terms: readonly SearchTerm[] }): string[] {
  const english = wordsOf.get('english')!;
  return wordsOfLanguage(query).filter(
    (word) => !english.has(word) && !TELLING_IN_ENGLISH.has(word),
  );
}

/**
 * The function words that a query holds of the language in which it is. That is the language of which it holds the
 * most. Empty where the query is not foreign.
 */
function wordsOfLanguage({ terms }: { terms: readonly SearchTerm[] }): string[] {
  const words = terms.flatMap(({ text }) => text.split(' ').flatMap(partsOf));
  const heldOf = (language: Language) => words.filter((word) => wordsOf.get(language)!.has(word));
  const english = heldOf('english').length;
  const [most = []] = [...wordsOf.keys()]
    .map(heldOf)
    .filter((held) => held.length > english)
    .filter((held) => held.length > 1 || !TELLING_IN_ENGLISH.has(held[0]!))
    .sort((one, other) => other.length - one.length);
  return most;
}

/**
 * The parts of a word that hyphens or commas may join: `peut-on` gives `peut` and `on`. Single letters of a compound
 * are left out. The E of `T1000-E` and the `-e` of a command are not the Italian word `e`. Words that other signs join
 * are names or addresses, such as `socket.io`, and stay whole.
 */
function partsOf(word: string): string[] {
  const parts = word.split(/[-‐‑,;!?]+/u).map(foldWord);
  return parts.length === 1 ? parts : parts.filter(({ length }) => length > 1);
}

/**
 * The terms that say something about a subject: phrases, and words that are no function words. A text in a script
 * without spaces is split into its words. Words with a sign between them (`wi-fi`, `key:value`) become separate terms.
 */
export function tellingTerms(terms: readonly SearchTerm[]): SearchTerm[] {
  const single = terms.flatMap((term) => (term.phrase ? [term] : wordsOfTerm(term)));
  const areForeign = isForeign({ terms });
  const telling = single.filter(
    ({ text, phrase }) => phrase || !isFunctionWordIn(text, areForeign),
  );
  return [...new Map(telling.map((term) => [term.text.toLowerCase(), term])).values()];
}

/** The terms of a query that are not function words; all of its terms where each is a function word. */
export function tellingOrAll(terms: readonly SearchTerm[]): readonly SearchTerm[] {
  const areForeign = isForeign({ terms });
  const telling = terms.filter(({ text, phrase }) => phrase || !isFunctionWordIn(text, areForeign));
  return telling.length > 0 ? telling : terms;
}

/** The most terms of a query that are looked for. */
const MOST_TERMS = 32;
/**
 * The most words of all terms together, as the index splits them. In a compound or a phrase, one common word may be
 * repeated. Elasticsearch then reads all places of that word once for each repetition.
 */
const MOST_PIECES = 64;

/**
 * The query with at most 32 terms, in their order. Of a longer one, function words are left out first, then the last
 * words. Of terms with more than 64 words together, the beginning is kept.
 */
export function shorten(query: ParsedQuery): ParsedQuery {
  const isLight = ({ text, phrase }: SearchTerm) => !phrase && isFunctionWord(text);
  const light = query.terms.filter(isLight);
  const telling = query.terms.filter((term) => !isLight(term));
  const kept = new Set([...telling, ...light].slice(0, MOST_TERMS));
  let left = MOST_PIECES;
  const terms = query.terms.flatMap((term) => {
    if (!kept.has(term) || left <= 0) return [];
    const first = { ...term, text: firstPieces(term.text, left) };
    left -= countPieces([first]);
    return [first];
  });
  return { ...query, terms };
}

/** The words of a term. A term with one word stays as it is, and so does a term that has synonyms. */
function wordsOfTerm(term: SearchTerm): SearchTerm[] {
  if (term.synonyms) return [term];
  const compound = term.text;
  return wordsIn(compound).map((text) =>
    text === compound ? term : { ...wordTerm(text), compound },
  );
}

/** Matches scripts that put no spaces between words. */
const SPACELESS = new RegExp(SPACELESS_LETTER, 'u');

/**
 * Matches where letters of Southeast Asian scripts meet others. The index begins a word there, and the word breaks below
 * do not.
 */
const SCRIPT_BREAK = new RegExp(
  `(?<=${SOUTHEAST_ASIAN_LETTER})(?!${SOUTHEAST_ASIAN_LETTER})|(?<!${SOUTHEAST_ASIAN_LETTER})(?=${SOUTHEAST_ASIAN_LETTER})`,
  'u',
);

const wordBreaks = new Intl.Segmenter('en', { granularity: 'word' });

/** Matches where a word is split: lists, and compounds. A piece with one letter or with a digit is not split off. */
const BETWEEN_WORDS =
  /[,;/|]+|(?<=[\p{L}\p{N}][\p{L}\p{M}\p{N}])[^\p{L}\p{M}\p{N}\s'’]+(?=\p{L}[\p{L}\p{M}]+(?![\p{L}\p{M}\p{N}]))/u;

/** Matches an article or a pronoun without its vowel, as French and Italian write it: the l' of `l'antenne`. */
const ELIDED =
  /^[^\p{L}\p{N}]*(?:[cdjlmnst]|qu|quelqu|jusqu|lorsqu|puisqu|un|d?all|dell|nell|sull|quell)['’](?=\p{L}{2})/iu;

function wordsIn(text: string): string[] {
  const compounds = text
    .split(BETWEEN_WORDS)
    .flatMap((part) => part.split(SCRIPT_BREAK))
    .map(bareWord);
  return compounds.flatMap((compound) => {
    const part = compound.replace(ELIDED, '');
    if (!SPACELESS.test(part)) return /[\p{L}\p{N}]/u.test(part) ? [part] : [];
    const words = [...wordBreaks.segment(part)].filter(({ isWordLike }) => isWordLike);
    // A piece of one character is nearly always a particle.
    return words.map(({ segment }) => segment).filter(({ length }) => length > 1);
  });
}

/** A word without case, accents, apostrophes, and signs around it. */
export function foldWord(word: string): string {
  return foldLetters(word).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

/** Matches marks that make no other letter. In all other scripts, a letter with a mark is another letter. */
const ACCENTS = /(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}])\p{M}+/gu;

/** Matches apostrophes, marks that no letter is composed with, and the skin tones and variants of emoji. */
const DROPPED = /['’]|[\u0300-\u036f]|[\ufe0e\ufe0f]|\p{Emoji_Modifier}/gu;

/** A word without case, accents and apostrophes. Words that differ for the index stay different. */
export function foldLetters(word: string): string {
  return word
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(DROPPED, '')
    .replace(/[^\P{sc=Latin}a-zA-Z]/gu, anyAscii)
    .toLowerCase()
    .replaceAll('ё', 'е');
}
