import type { CrmRecord } from '../../../shared/node/crm/crm-provider.ts';

export const SUBMISSION_ID = '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b';

/** A lead with a value in every field. The values need escaping. */
export const makeSampleLead = (changes: Partial<CrmRecord> = {}): CrmRecord => ({
  submission_id: SUBMISSION_ID,
  name: 'Ada King Lovelace',
  email: 'Ada@Example.org',
  company: 'Sweets & <Sons>',
  phone: '+43 (0)1 234 567',
  industry: 'retail-ecommerce',
  industry_label: 'Retail & E-commerce',
  message: 'Our factory is <slow>.\nCan you "help"?',
  submitted_at: '2025-11-03T09:00:00.000Z',
  received_at: '2025-11-03T09:00:01.000Z',
  source: {
    utm_source: 'newsletter',
    utm_medium: 'mail',
    utm_campaign: 'autumn',
    referrer: 'searching.example',
    landing_path: '/education',
  },
  ...changes,
});

const rows = [
  ['Name', 'Ada King Lovelace'],
  ['Email', 'Ada@Example.org'],
  ['Company', 'Sweets & <Sons>'],
  ['Phone', '+43 (0)1 234 567'],
  ['Industry', 'Retail & E-commerce'],
  ['Campaign source', 'newsletter'],
  ['Campaign medium', 'mail'],
  ['Campaign', 'autumn'],
  ['Referring site', 'searching.example'],
  ['First page of the visit', '/education'],
  ['Received', '2025-11-03T09:00:01.000Z'],
  ['Reference', SUBMISSION_ID],
] as const;

/** The note about the sample lead, as text. */
export const sampleNoteText = `Our factory is <slow>.\nCan you "help"?\n\n${rows
  .map(([label, value]) => `- ${label}: ${value}`)
  .join('\n')}`;

/** The note about the sample lead, as Markdown. */
export const sampleNoteMarkdown = sampleNoteText.replaceAll('<', '\\<').replace('.\n', '.  \n');

const escape = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The note about the sample lead, as HTML. */
export const sampleNoteHtml = `<p>Our factory is &lt;slow&gt;.<br>Can you &quot;help&quot;?</p><p>${rows
  .map(([label, value]) => `<b>${label}:</b> ${escape(value)}`)
  .join('<br>')}</p>`;
