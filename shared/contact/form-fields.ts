import { contactLimits, writeCount } from './contact-schema.ts';

/** The fields of one line, in the order of the form: what they are called, and what browsers fill them with. */
export const textFields = [
  { name: 'name', label: 'Full Name', type: 'text', autoComplete: 'name', isRequired: true },
  { name: 'email', label: 'Business Email', type: 'email', autoComplete: 'email', isRequired: true },
  { name: 'company', label: 'Company Name', type: 'text', autoComplete: 'organization', isRequired: true },
  { name: 'phone', label: 'Phone', type: 'tel', autoComplete: 'tel', isRequired: false },
] as const;

/** The other words of the form, with and without JavaScript. */
export const formWords = {
  industry: 'Industry',
  noIndustry: 'Select your industry',
  message: 'Message',
  messageHint: `What takes up your team’s time? Up to ${writeCount(contactLimits.message.max)} characters.`,
  honeypot: 'Subject (please leave this empty)',
  submit: 'Get Your Free Assessment',
} as const;
