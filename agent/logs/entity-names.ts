/** The characters of HTML's named entities that common encoders produce: ASCII punctuation and Latin-1. */
export const entityCodes: ReadonlyMap<string, number> = new Map([
  ...pairs(
    "amp& lt< gt> quot\" apos' sol/ bsol\\ plus+ equals= colon: semi; comma, period. excl! quest? num# dollar$ percnt% " +
      "commat@ ast* midast* lpar( rpar) lsqb[ lbrack[ rsqb] rbrack] lcub{ lbrace{ rcub} rbrace} verbar| vert| VerticalLine| " +
      "lowbar_ UnderBar_ grave` DiacriticalGrave` Hat^ Tab\t NewLine\n",
  ),
  ...(
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
    "middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave " +
    "Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc " +
    "Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc " +
    "iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"
  )
    .split(" ")
    .map((name, at) => [name, 0xa0 + at] as const),
]);

function pairs(text: string): (readonly [string, number])[] {
  return text
    .split(" ")
    .filter((pair) => pair !== "")
    .map((pair) => [pair.slice(0, -1), pair.charCodeAt(pair.length - 1)] as const);
}
