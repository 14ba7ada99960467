import { brand } from '#content/brand';
import { WHITE } from '../../shared/accents/accent-scheme.ts';
import {
  contactFieldNames,
  contactMessages,
  formWords,
  textFields,
  type ContactFieldName,
  type TypedContactFields,
} from '../../shared/contact/contact-schema.ts';
import { industryOptions } from '../../shared/contact/industry-options.ts';
import { honeypotName } from '../../shared/contact/spam-signals.ts';
import { formatTitle } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { escapeHtml } from '../../shared/escape-html.ts';
import { makeMailtoUrl, parseMailAddress } from '../../shared/mailbox.ts';
import { routePatterns } from '../../shared/paths.ts';
import type { FieldErrors } from '../../shared/problem.ts';
import { getResponsePromise, type Site } from '../../shared/site.ts';

export interface RefusedForm {
  readonly values: TypedContactFields;
  readonly errors: FieldErrors;
  /** Why the form was refused, unless the reason is field errors. */
  readonly banner: string | undefined;
}

const { colors } = brand;

/** The error color comes from `client/styles/tokens.css`. */
const STYLE = [
  '*{box-sizing:border-box}',
  `body{max-width:42rem;margin:auto;padding:1.5rem 1rem 4rem;background:${colors.cream};color:${colors.ink};font:1.0625rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}`,
  `a{color:${colors.brand}}`,
  'h1,header{font:600 2rem/1.2 Georgia,serif}',
  'header{font-size:1.25rem}',
  'label{display:block;margin-top:1.25rem;font-weight:600}',
  'p{margin:.25rem 0}',
  `input,select,textarea,button{width:100%;padding:.7rem;border:1px solid ${colors.fieldBorder};border-radius:10px;background:${WHITE};color:inherit;font:inherit}`,
  '[aria-invalid]{border:2px solid #9f1d1d}',
  '.e,b{color:#9f1d1d;font-weight:500}',
  `button{margin:1.5rem 0 1rem;border:0;border-radius:2rem;background:${colors.brand};color:${WHITE};font-weight:600;cursor:pointer}`,
  `:focus-visible{outline:2px solid ${colors.brand};outline-offset:3px}`,
  '.h{position:absolute;left:-99rem}',
].join('');

function writeAttributes(name: ContactFieldName, { errors, banner }: RefusedForm, hintId?: string): string {
  const error = errors[name];
  const first = contactFieldNames.find((field) => errors[field] !== undefined);
  const described = [...(error ? [`${name}-error`] : []), ...(hintId ? [hintId] : [])].join(' ');

  return [
    `id="${name}" name="${name}"`,
    ...(described ? [`aria-describedby="${described}"`] : []),
    ...(error ? ['aria-invalid="true"'] : []),
    ...(name === first && !banner ? ['autofocus'] : []),
  ].join(' ');
}

function writeError(name: ContactFieldName, { errors }: RefusedForm): string {
  const error = errors[name];

  return error ? `<p class="e" id="${name}-error">${escapeHtml(error)}</p>` : '';
}

function writeTextFields(form: RefusedForm): string {
  return textFields
    .map(
      ({ name, label, type, autoComplete, isRequired }) =>
        `<label for="${name}">${label}${isRequired ? ' <b aria-hidden="true">*</b>' : ''}</label>` +
        `<input ${writeAttributes(name, form)} type="${type}" autocomplete="${autoComplete}"` +
        `${isRequired ? ' required' : ''} value="${escapeHtml(form.values[name])}">${writeError(name, form)}`,
    )
    .join('\n');
}

function writeIndustryField(form: RefusedForm): string {
  const options = industryOptions.map(
    ({ value, label }) =>
      `<option value="${value}"${value === form.values.industry ? ' selected' : ''}>${escapeHtml(label)}</option>`,
  );

  return (
    `<label for="industry">${formWords.industry}</label><select ${writeAttributes('industry', form)}>` +
    `<option value="">${formWords.noIndustry}</option>${options.join('')}</select>${writeError('industry', form)}`
  );
}

/** Returns the message field. Its text follows a line break, because parsers drop a line break after the start tag. */
function writeMessageField(form: RefusedForm): string {
  return (
    `<label for="message">${formWords.message}</label><p id="hint">${formWords.messageHint}</p>` +
    `<textarea ${writeAttributes('message', form, 'hint')} rows="6">\n${escapeHtml(form.values.message)}</textarea>` +
    writeError('message', form)
  );
}

function writeBanner({ banner }: RefusedForm, site: Site): string {
  if (!banner) return '';
  const link = `<a href="${makeMailtoUrl(site.legalEmail)}">${parseMailAddress(site.legalEmail)}</a>`;

  return `<p class="e" role="alert" tabindex="-1" autofocus>${escapeHtml(banner)}</p><p>Or email us at ${link}.</p>`;
}

/**
 * Renders the page for a refused form without JavaScript. Without the typed text, it is under 4 kB, which the
 * proxy can buffer. So a client that doesn't read it doesn't tie up a slot (decision 019).
 */
export function renderRefusedForm(site: Site, form: RefusedForm): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(formatTitle(makeStaticPageMeta(site).contact, site))}</title><style>${STYLE}</style></head>
<body><header><a href="${routePatterns.home}">${escapeHtml(site.name)}</a></header>
<main><h1>${contactMessages.heading}</h1>
${writeBanner(form, site)}<p>Fields marked <b>*</b> are required.</p>
<form method="post" action="${routePatterns.contact}">
${writeTextFields(form)}
${writeIndustryField(form)}
${writeMessageField(form)}
<div class="h" aria-hidden="true"><label for="${honeypotName}">${formWords.honeypot}</label><input id="${honeypotName}" name="${honeypotName}" tabindex="-1" autocomplete="off"></div>
<button type="submit">${formWords.submit}</button></form>
<p>Free, with no obligation. We answer ${escapeHtml(getResponsePromise(site))}. How we handle your data: <a href="${routePatterns.privacyPolicy}">Privacy Policy</a>.</p>
</main></body></html>
`;
}
