/**
 * Invisible characters that change how other text is displayed: control characters, direction marks and invisible
 * separators. Joiners aren't matched, because names and emoji need them. Tabs and line breaks aren't matched either.
 */
const INVISIBLE_CHARACTERS =
  /[^\P{Cc}\t\n]|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const LINE_BREAKS = /\r\n|[\r\u0085\u2028\u2029]/g;

/** Dots that browsers accept in a domain (UTS 46). */
const DOT = '[.\\u3002\\uff0e\\uff61]';
/**
 * A dot in a possible domain: at least two characters with a letter follow, as in every top-level domain. Decimals,
 * abbreviations and ends of sentences don't match.
 */
const DOMAIN_DOT = new RegExp(
  `(?<=[\\p{L}\\p{N}\\p{M}_-])${DOT}(?=[\\p{L}\\p{N}\\p{M}-]{2})(?=[\\p{N}-]*\\p{L})|(?<=\\bwww)${DOT}`,
  'giu',
);
const IPV4 = new RegExp(`\\b\\d{1,3}(?:${DOT}\\d{1,3}){3}\\b`, 'gu');
const AT = /(?<=\S)@(?=\S)/g;
/** The colon of a URL, including schemes without slashes. */
const SCHEME_COLON = /:(?=\/\/)|(?<=\b(?:mailto|tel|sms|callto|skype|sip|facetime)):(?=\S)/gi;
/** `\\server\share`. Outlook makes it a link, and Windows sends the user's credentials to the server. */
const SHARE = /\\\\(?=[\p{L}\p{N}])/gu;

/** Removes characters that disguise text. Converts line breaks to `\n`. */
export function cleanText(text: string): string {
  return text.replace(LINE_BREAKS, '\n').replace(INVISIBLE_CHARACTERS, '');
}

/**
 * Makes untrusted text safe for a mail. Mail programs turn everything that looks like a domain, an address or a URL
 * into a link, even in plain text, and people trust links in a mail from our own site. So this defangs text as in
 * security notices: `example[.]com`, `https[:]//`, `name[@]example[.]com`
 * (https://datatracker.ietf.org/doc/draft-grimminck-safe-ioc-sharing/).
 *
 * Zero-width characters are no alternative: some mail programs ignore them, filters treat them as phishing
 * (https://isc.sans.edu/diary/28418), and people would copy them into a CRM.
 */
export function defang(text: string): string {
  return cleanText(text)
    .replace(SCHEME_COLON, '[:]')
    .replace(IPV4, (address) => address.replace(new RegExp(DOT, 'gu'), '[$&]'))
    .replace(DOMAIN_DOT, '[$&]')
    .replace(SHARE, '[\\\\]')
    .replace(AT, '[@]');
}

/** Defangs text and puts it on one line. */
export function defangLine(text: string): string {
  return defang(text).replace(/\s+/g, ' ').trim();
}

/** Control characters could start a new header. Direction marks could disguise the text. */
const FORBIDDEN_IN_HEADERS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * Makes untrusted text safe for a header. Breaks encoded words (RFC 2047), which mail programs would decode.
 */
export function toHeaderText(text: string): string {
  return text.replace(FORBIDDEN_IN_HEADERS, ' ').replaceAll('=?', '= ?');
}
