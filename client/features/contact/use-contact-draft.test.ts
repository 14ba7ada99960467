import { beforeEach, expect, test, vi } from 'vitest';
import type { TypedContactFields } from '../../../shared/contact/contact-schema.ts';
import { DRAFT_KEY, drafts, mergeDraft, type ContactDraft } from './use-contact-draft.ts';

const draft: ContactDraft = {
  values: {
    name: 'Ada',
    email: '',
    company: '',
    phone: '',
    industry: 'education',
    message: 'a\nb',
  },
  preselected: 'education',
  attempt: { id: '00000000-0000-4000-8000-000000000000', content: '["Ada"]' },
};

const items = new Map<string, string>();

beforeEach(() => {
  items.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  });

  return () => vi.unstubAllGlobals();
});

test('a draft is stored until it is removed', () => {
  drafts.write(draft);

  expect(drafts.read()).toEqual(draft);

  drafts.remove();

  expect(drafts.read()).toBeUndefined();
  expect(items.size).toBe(0);
});

test('a form with only the preselected industry isn’t stored', () => {
  drafts.write(draft);
  drafts.write({ ...draft, values: { ...draft.values, name: '', message: '' } });

  expect(items.size).toBe(0);
});

test('an industry other than the preselected one is stored', () => {
  drafts.write({ ...draft, values: { ...draft.values, name: '', message: '', industry: '' } });

  expect(drafts.read()?.values.industry).toBe('');
});

test.each([
  ['invalid JSON', 'abc'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a missing field', JSON.stringify({ ...draft, values: { name: 'Ada' } })],
  ['a number instead of text', JSON.stringify({ ...draft, values: { ...draft.values, name: 5 } })],
  ['an invalid id', JSON.stringify({ ...draft, attempt: { id: 'x', content: '' } })],
])('%s is not accepted as a draft', (_kind, text) => {
  items.set(DRAFT_KEY, text);

  expect(drafts.read()).toBeUndefined();
});

test('an unknown industry is ignored', () => {
  items.set(DRAFT_KEY, JSON.stringify({ ...draft, values: { ...draft.values, industry: 'magic' } }));

  expect(drafts.read()?.values.industry).toBe('');
});

test('blocked storage causes no errors', () => {
  const fail = () => {
    throw new Error('forbidden');
  };
  vi.stubGlobal('sessionStorage', { getItem: fail, setItem: fail, removeItem: fail });
  drafts.write(draft);
  drafts.remove();

  expect(drafts.read()).toBeUndefined();
});

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

test.each([
  ['the draft', 'the URL has no industry', '', '', { industry: 'education' }, '', 'education'],
  ['the draft', 'the URL no longer has an industry', '', '', { industry: 'education' }, 'healthcare', 'education'],
  ['the draft', 'the page was reloaded', 'healthcare', 'healthcare', { industry: 'education' }, 'healthcare', 'education'],
  ['the draft', 'the visitor cleared the preselected industry', 'healthcare', 'healthcare', { name: 'Ada' }, 'healthcare', ''],
  ['the URL', 'the visitor later followed a link with an industry', 'healthcare', 'healthcare', { industry: 'education' }, '', 'healthcare'],
  ['the URL', 'the visitor later followed a link with another industry', 'retail-ecommerce', 'retail-ecommerce', {}, 'healthcare', 'retail-ecommerce'],
  ['the form', 'it was selected before hydration', 'other', 'healthcare', { industry: 'education' }, 'healthcare', 'other'],
  ['the form', 'it was cleared before hydration', '', 'healthcare', { industry: 'education' }, 'healthcare', ''],
  ['the form', 'the URL has no industry', 'other', '', { industry: 'education' }, 'healthcare', 'other'],
])('the industry comes from %s if %s', (_from, _when, shown, preselected, typed, draftPreselected, industry) => {
  const merged = mergeDraft({ ...empty, industry: shown }, preselected, makeDraft(typed, draftPreselected));

  expect(merged.industry).toBe(industry);
});
