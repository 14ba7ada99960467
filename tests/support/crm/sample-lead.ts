import type { CrmRecord } from '../../../shared/node/crm/crm-provider.ts';

export const SUBMISSION_ID = '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b';

/** A lead with every field, whose values need escaping. */
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

const htmlMessage = '<p>Our factory is &lt;slow&gt;.<br>Can you &quot;help&quot;?</p>';
const htmlSource = [
  '<b>Industry:</b> Retail &amp; E-commerce',
  '<b>Campaign source:</b> newsletter',
  '<b>Campaign medium:</b> mail',
  '<b>Campaign:</b> autumn',
  '<b>Referring site:</b> searching.example',
  '<b>First page of the visit:</b> /education',
  '<b>Received:</b> 2025-11-03T09:00:01.000Z',
];

/** The sample lead's message and the source of the visit as HTML. */
export const sampleHtml = `${htmlMessage}<p>${htmlSource.join('<br>')}</p>`;

/** All that was typed, as HTML. */
export const sampleNoteHtml = `${htmlMessage}<p>${[
  '<b>Name:</b> Ada King Lovelace',
  '<b>Email:</b> Ada@Example.org',
  '<b>Company:</b> Sweets &amp; &lt;Sons&gt;',
  '<b>Phone:</b> +43 (0)1 234 567',
  ...htmlSource,
  `<b>Reference:</b> ${SUBMISSION_ID}`,
].join('<br>')}</p>`;

/** All that was typed, as Markdown. */
export const sampleNoteMarkdown = `Our factory is \\<slow>.  \nCan you "help"?\n\n${[
  '- Name: Ada King Lovelace',
  '- Email: Ada@Example.org',
  '- Company: Sweets & \\<Sons>',
  '- Phone: +43 (0)1 234 567',
  '- Industry: Retail & E-commerce',
  '- Campaign source: newsletter',
  '- Campaign medium: mail',
  '- Campaign: autumn',
  '- Referring site: searching.example',
  '- First page of the visit: /education',
  '- Received: 2025-11-03T09:00:01.000Z',
  `- Reference: ${SUBMISSION_ID}`,
].join('\n')}`;
