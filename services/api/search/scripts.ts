/**
 * Matches a letter of a script that puts no spaces between words. Korean puts some, but its endings follow a word, a
 * quote or a name directly. The marks that two scripts share belong to both, as the `ー` of Japanese does.
 */
export const SPACELESS_LETTER = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Mymr}\p{scx=Khmr}]`;
