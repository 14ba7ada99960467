import { beforeEach, describe, expect, test, vi } from 'vitest';
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
  ['no JSON', 'abc'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a missing field', JSON.stringify({ ...draft, values: { name: 'Ada' } })],
  ['a number for text', JSON.stringify({ ...draft, values: { ...draft.values, name: 5 } })],
  ['an invalid id', JSON.stringify({ ...draft, attempt: { id: 'x', content: '' } })],
])('%s is no draft', (_kind, text) => {
  items.set(DRAFT_KEY, text);

  expect(drafts.read()).toBeUndefined();
});

test('an unknown industry is ignored', () => {
  items.set(DRAFT_KEY, JSON.stringify({ ...draft, values: { ...draft.values, industry: 'magic' } }));

  expect(drafts.read()?.values.industry).toBe('');
});

test('a blocked storage causes no errors', () => {
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

describe('the industry of a merged draft', () => {
  const choose = (shown: string, preselected: string, draft: ContactDraft) =>
    mergeDraft({ ...empty, industry: shown }, preselected, draft).industry;

  test('comes from the draft when the URL has none', () => {
    expect(choose('', '', makeDraft({ industry: 'education' }))).toBe('education');
    expect(choose('', '', makeDraft({ industry: 'education' }, 'healthcare'))).toBe('education');
  });

  test('comes from the draft after a reload, even if the URL has another', () => {
    const draft = makeDraft({ industry: 'education' }, 'healthcare');

    expect(choose('healthcare', 'healthcare', draft)).toBe('education');
  });

  test('stays empty after a reload if the visitor cleared the preselected one', () => {
    expect(choose('healthcare', 'healthcare', makeDraft({ name: 'Ada' }, 'healthcare'))).toBe('');
  });

  test('comes from the URL if the visitor followed that link after typing the draft', () => {
    const draft = makeDraft({ industry: 'education' });

    expect(choose('healthcare', 'healthcare', draft)).toBe('healthcare');
    expect(choose('retail-ecommerce', 'retail-ecommerce', makeDraft({}, 'healthcare'))).toBe(
      'retail-ecommerce',
    );
  });

  test('keeps a selection made before hydration', () => {
    const draft = makeDraft({ industry: 'education' }, 'healthcare');

    expect(choose('other', 'healthcare', draft)).toBe('other');
    expect(choose('', 'healthcare', draft)).toBe('');
    expect(choose('other', '', draft)).toBe('other');
  });
});
