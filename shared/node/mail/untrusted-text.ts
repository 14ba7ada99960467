/**
 * Characters that are invisible and change how their neighbors are displayed: control characters, marks
 * of writing direction and invisible separators. Joiners stay, which names and emoji are written
 * with, and so do tab and line break.
 */
const DISGUISES =
  /[^\P{Cc}\t\n]|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const LINE_BREAKS = /\r\n|[\r\u0085\u2028\u2029]/g;

/** Dots that a browser takes for the dot of a domain (UTS 46). */
const DOT = '[.\\u3002\\uff0e\\uff61]';
/**
 * A dot inside what could be a domain: what follows has two characters and a letter, as every
 * top-level domain has. Decimals, abbreviations and the end of a sentence stay as they are.
 */
const DOMAIN_DOT = new RegExp(
  `(?<=[\\p{L}\\p{N}\\p{M}_-])${DOT}(?=[\\p{L}\\p{N}\\p{M}-]{2})(?=[\\p{N}-]*\\p{L})|(?<=\\bwww)${DOT}`,
  'giu',
);
const IPV4 = new RegExp(`\\b\\d{1,3}(?:${DOT}\\d{1,3}){3}\\b`, 'gu');
const AT = /(?<=\S)@(?=\S)/g;
/** The colon of a URL, and of the schemes that need no slashes. */
const SCHEME_COLON = /:(?=\/\/)|(?<=\b(?:mailto|tel|sms|callto|skype|sip|facetime)):(?=\S)/gi;
/** `\\server\share`: Outlook links it, and Windows greets the server with the user's credentials. */
const SHARE = /\\\\(?=[\p{L}\p{N}])/gu;

/** Removes characters that disguise a text, and ends its lines with `\n`. */
export function cleanText(text: string): string {
  return text.replace(LINE_BREAKS, '\n').replace(DISGUISES, '');
}

/**
 * Makes untrusted text safe for a mail. Mail programs make links of whatever looks like a domain, an
 * address or a URL, also in escaped HTML and in plain text; a link in a mail from our own site would be
 * trusted. So it is defanged as security notices do, `example[.]com`,
 * `https[:]//`, `name[@]example[.]com`
 * (https://datatracker.ietf.org/doc/draft-grimminck-safe-ioc-sharing/).
 *
 * Not with zero-width characters: mail programs ignore some of them and link all the same, filters
 * treat them as phishing (https://isc.sans.edu/diary/28418), and they are copied invisibly with a name
 * into a CRM. Brackets are visible.
 */
export function defang(text: string): string {
  return cleanText(text)
    .replace(SCHEME_COLON, '[:]')
    .replace(IPV4, (address) => address.replace(new RegExp(DOT, 'gu'), '[$&]'))
    .replace(DOMAIN_DOT, '[$&]')
    .replace(SHARE, '[\\\\]')
    .replace(AT, '[@]');
}

/** The same as `defang`, on one line. */
export function defangLine(text: string): string {
  return defang(text).replace(/\s+/g, ' ').trim();
}

/** Control characters could start a new header; direction marks could disguise what follows. */
const NOT_FOR_HEADERS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * Makes untrusted text safe for a header. What looks like an encoded word (RFC 2047) would
 * be decoded by the reader's program into whatever it hides.
 */
export function toHeaderText(text: string): string {
  return text.replace(NOT_FOR_HEADERS, ' ').replaceAll('=?', '= ?');
}
