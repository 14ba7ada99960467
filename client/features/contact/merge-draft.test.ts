import { describe, expect, test } from 'vitest';
import type { TypedContactFields } from '../../../shared/contact/contact-schema.ts';
import type { ContactDraft } from './contact-draft.ts';
import { mergeDraft } from './merge-draft.ts';

const empty: TypedContactFields = {
  name: '',
  email: '',
  company: '',
  phone: '',
  industry: '',
  message: '',
};

const makeDraft = (values: Partial<TypedContactFields>, preselected = ''): ContactDraft => ({
  values: { ...empty, ...values },
  preselected,
  attempt: null,
});

test('the draft fills empty fields only', () => {
  const shown = { ...empty, name: 'Typed just now' };
  const draft = makeDraft({ name: 'Old', company: 'Engines' });

  expect(mergeDraft(shown, '', draft)).toEqual({
    ...empty,
    name: 'Typed just now',
    company: 'Engines',
  });
});

describe('the industry', () => {
  const choose = (shown: string, preselected: string, draft: ContactDraft) =>
    mergeDraft({ ...empty, industry: shown }, preselected, draft).industry;

  test('comes from the draft when the address names none', () => {
    expect(choose('', '', makeDraft({ industry: 'education' }))).toBe('education');
    expect(choose('', '', makeDraft({ industry: 'education' }, 'healthcare'))).toBe('education');
  });

  test('comes from the draft after a reload of an address that names another', () => {
    const draft = makeDraft({ industry: 'education' }, 'healthcare');

    expect(choose('healthcare', 'healthcare', draft)).toBe('education');
  });

  test('stays unchosen after a reload when the preselected one was taken back', () => {
    expect(choose('healthcare', 'healthcare', makeDraft({ name: 'Ada' }, 'healthcare'))).toBe('');
  });

  test('comes from an address followed after the draft was typed', () => {
    const draft = makeDraft({ industry: 'education' });

    expect(choose('healthcare', 'healthcare', draft)).toBe('healthcare');
    expect(choose('retail-ecommerce', 'retail-ecommerce', makeDraft({}, 'healthcare'))).toBe(
      'retail-ecommerce',
    );
  });

  test('stays as chosen before the page came to life', () => {
    const draft = makeDraft({ industry: 'education' }, 'healthcare');

    expect(choose('other', 'healthcare', draft)).toBe('other');
    expect(choose('', 'healthcare', draft)).toBe('');
    expect(choose('other', '', draft)).toBe('other');
  });
});
