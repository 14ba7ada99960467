import { brand } from '#content/brand';
import { darken, lighten, WHITE } from '../../accents/accent-scheme.ts';
import type { HexColor } from '../../accents/accents.ts';

/** A text color and its background. */
interface Pair {
  readonly text: HexColor;
  readonly background: HexColor;
}

/** Colors for each part of a mail. Each part sets both, because some mail programs invert colors. */
type Palette = Readonly<
  Record<
    'page' | 'head' | 'card' | 'muted' | 'link' | 'quote' | 'panel' | 'urgent' | 'button',
    Pair
  >
>;

const { colors } = brand;
const { ink, muted, cream, sand, deep, onDeep, onDeepMuted } = colors;
const darkCard = lighten(deep, 0.04);

/** The brand's colors, and colors derived from them for a dark color scheme. */
export const palettes = {
  light: {
    page: { text: muted, background: sand },
    head: { text: cream, background: deep },
    card: { text: ink, background: WHITE },
    muted: { text: muted, background: WHITE },
    link: { text: colors.brand, background: WHITE },
    quote: { text: ink, background: cream },
    panel: { text: ink, background: sand },
    urgent: { text: '#8A1C12', background: '#FBEAE6' },
    button: { text: WHITE, background: colors.brand },
  },
  dark: {
    page: { text: onDeepMuted, background: darken(deep, 0.4) },
    head: { text: cream, background: deep },
    card: { text: onDeep, background: darkCard },
    muted: { text: onDeepMuted, background: darkCard },
    link: { text: lighten(colors.brand, 0.5), background: darkCard },
    quote: { text: onDeep, background: lighten(deep, 0.07) },
    panel: { text: onDeep, background: lighten(deep, 0.1) },
    urgent: { text: '#FFD9D2', background: '#4A1B16' },
    button: { text: WHITE, background: colors.brand },
  },
} satisfies Readonly<Record<'light' | 'dark', Palette>>;

type Part = keyof Palette;

const { light, dark } = palettes;

/** System fonts, because a mail loads no fonts. */
const SANS = "font-family:Arial,Helvetica,sans-serif;";
const SERIF = "font-family:Georgia,'Times New Roman',serif;";

const color = (part: Part) => `color:${light[part].text};background-color:${light[part].background};`;
/** Breaks long words, which would otherwise widen the mail. */
const BREAK = 'word-break:break-word;overflow-wrap:anywhere;';

const section = `${SERIF}margin:32px 0 0;padding:0 0 8px;font-size:20px;line-height:1.3;font-weight:normal;border-bottom:2px solid ${colors.highlight};`;

/** Values for the `bgcolor` attribute, which Outlook needs. */
export const background = {
  page: light.page.background,
  head: light.head.background,
  card: light.card.background,
  button: light.button.background,
  bar: light.link.text,
} as const;

/** Inline styles for each part, because many mail programs drop style sheets. */
export const styles = {
  page: `margin:0;padding:0;${color('page')}`,
  /** Visible only in a mail program's message list. */
  preview: 'display:none;max-height:0;overflow:hidden;mso-hide:all;',
  frame: 'width:100%;max-width:600px;',
  head: `${SERIF}${color('head')}padding:20px 32px;font-size:20px;line-height:1.3;border-bottom:3px solid ${colors.highlight};border-radius:16px 16px 0 0;`,
  card: `${SANS}${color('card')}padding:32px;font-size:16px;line-height:1.5;`,
  heading: `${SERIF}color:${light.card.text};margin:0 0 12px;font-size:26px;line-height:1.2;font-weight:normal;${BREAK}`,
  lead: `color:${light.card.text};margin:0 0 24px;font-size:16px;line-height:1.5;${BREAK}`,
  panel: `${SANS}${color('panel')}padding:16px 20px;border-radius:12px;font-size:14px;line-height:1.5;${BREAK}`,
  urgent: `${SANS}${color('urgent')}padding:16px 20px;border-radius:12px;font-size:14px;line-height:1.5;${BREAK}`,
  highlight: 'font-size:18px;line-height:1.4;font-weight:bold;',
  rows: 'width:100%;margin:24px 0 0;border-collapse:collapse;',
  label: `${SANS}${color('muted')}padding:8px 16px 8px 0;width:132px;font-size:14px;line-height:24px;font-weight:normal;text-align:left;vertical-align:top;border-bottom:1px solid ${light.page.background};`,
  value: `${SANS}${color('card')}padding:8px 0;font-size:16px;line-height:24px;text-align:left;vertical-align:top;border-bottom:1px solid ${light.page.background};${BREAK}`,
  link: `color:${light.link.text};text-decoration:underline;`,
  caption: `color:${light.muted.text};margin:28px 0 8px;font-size:14px;line-height:1.5;`,
  quote: `${SANS}${color('quote')}padding:16px 20px;border-left:4px solid ${colors.highlight};font-size:16px;line-height:1.5;${BREAK}`,
  button: `background-color:${light.button.background};border-radius:999px;mso-padding-alt:14px 28px;`,
  buttonLink: `${SANS}${color('button')}display:inline-block;padding:14px 28px;border-radius:999px;font-size:16px;line-height:20px;font-weight:bold;text-decoration:none;`,
  gap: 'font-size:12px;line-height:12px;',
  /** As tall as the button, which has no border. */
  outline: `border:2px solid ${light.link.text};border-radius:999px;mso-padding-alt:12px 26px;`,
  outlineLink: `${SANS}${color('link')}display:inline-block;padding:12px 26px;border-radius:999px;font-size:16px;line-height:20px;font-weight:bold;text-decoration:none;`,
  section: `${section}color:${light.card.text};`,
  item: `color:${light.card.text};margin:0;padding:16px 0;font-size:15px;line-height:1.55;border-bottom:1px solid ${light.page.background};${BREAK}`,
  /** Large enough to tap. */
  itemLink: `color:${light.link.text};text-decoration:underline;display:inline-block;padding:6px 0;`,
  lines: `margin:0;padding:12px 0 0 20px;font-size:15px;line-height:1.55;${BREAK}`,
  line: 'padding:4px 0;',
  steps: 'margin:0;padding:0 0 0 24px;font-size:16px;line-height:1.5;',
  chart: 'width:100%;margin:0;border-collapse:collapse;',
  chartHead: `${SANS}${color('muted')}padding:8px 8px 8px 0;font-size:14px;line-height:20px;font-weight:normal;text-align:left;vertical-align:bottom;border-bottom:1px solid ${light.page.background};`,
  chartLabel: `${SANS}${color('card')}padding:8px 8px 8px 0;font-size:15px;line-height:20px;font-weight:normal;text-align:left;vertical-align:middle;border-bottom:1px solid ${light.page.background};${BREAK}`,
  chartBar: `padding:8px 8px 8px 0;vertical-align:middle;border-bottom:1px solid ${light.page.background};`,
  bar: `background-color:${background.bar};font-size:1px;line-height:14px;border-radius:3px;`,
  barValue: `${SANS}${color('card')}padding:0 0 0 8px;font-size:15px;line-height:20px;font-weight:bold;text-align:left;`,
  chartNote: `${SANS}${color('muted')}padding:8px 0;font-size:14px;line-height:20px;font-weight:normal;text-align:right;vertical-align:middle;border-bottom:1px solid ${light.page.background};`,
  foot: `${SANS}${color('page')}padding:20px 32px 32px;font-size:14px;line-height:1.5;`,
  footLink: `color:${light.page.text};text-decoration:underline;`,
} as const;

const paint = (part: Part) =>
  `.${part}{color:${dark[part].text}!important;background-color:${dark[part].background}!important}`;
const paintText = (className: string, part: Part) =>
  `.${className}{color:${dark[part].text}!important}`;

/** Rules that can't be inline: the dark color scheme and small screens. */
export const styleSheet = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){${(['page', 'head', 'card', 'muted', 'quote', 'panel', 'urgent', 'button'] as const).map(paint).join('')}${paintText('ink', 'card')}${paintText('soft', 'muted')}${paintText('link', 'link')}.bar{background-color:${dark.link.text}!important}.outline{border-color:${dark.link.text}!important}.line{border-bottom-color:${dark.panel.background}!important}}
@media (max-width:520px){.pad{padding-left:20px!important;padding-right:20px!important}.stack{display:block!important;width:auto!important}.stack.muted{border-bottom:0!important;padding-bottom:0!important}.stack.card{padding-top:0!important}.full{width:100%!important}.full a{display:block!important;text-align:center!important}}`;
