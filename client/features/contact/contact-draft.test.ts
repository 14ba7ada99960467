import { describe, expect, test } from 'vitest';
import { createDraftStore, type ContactDraft, type DraftStorage } from './contact-draft.ts';

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

function createMemoryStorage() {
  const items = new Map<string, string>();

  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

/** A store over a storage that holds `text` under the draft's key. */
function createStoreWith(text: string) {
  const storage: DraftStorage = { ...createMemoryStorage(), getItem: () => text };

  return createDraftStore(() => storage);
}

describe('a working storage', () => {
  test('a draft is read as it was written', () => {
    const storage = createMemoryStorage();
    const store = createDraftStore(() => storage);
    store.write(draft);

    expect(store.read()).toEqual(draft);
  });

  test('a removed draft is gone', () => {
    const storage = createMemoryStorage();
    const store = createDraftStore(() => storage);
    store.write(draft);
    store.remove();

    expect(store.read()).toBeUndefined();
    expect(storage.items.size).toBe(0);
  });

  test('a form with nothing but the preselected industry leaves nothing behind', () => {
    const storage = createMemoryStorage();
    const store = createDraftStore(() => storage);
    store.write(draft);
    store.write({ ...draft, values: { ...draft.values, name: '', message: '' } });

    expect(storage.items.size).toBe(0);
  });

  test('an industry chosen against the preselected one is kept', () => {
    const storage = createMemoryStorage();
    const store = createDraftStore(() => storage);
    store.write({ ...draft, values: { ...draft.values, name: '', message: '', industry: '' } });

    expect(store.read()?.values.industry).toBe('');
  });
});

describe('rubbish in the storage', () => {
  test.each([
    ['no JSON', 'abc'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a missing field', JSON.stringify({ ...draft, values: { name: 'Ada' } })],
    ['a number for text', JSON.stringify({ ...draft, values: { ...draft.values, name: 5 } })],
    ['an id that is none', JSON.stringify({ ...draft, attempt: { id: 'x', content: '' } })],
  ])('%s is no draft', (_kind, text) => {
    expect(createStoreWith(text).read()).toBeUndefined();
  });

  test('an unknown industry counts as none', () => {
    const text = JSON.stringify({ ...draft, values: { ...draft.values, industry: 'magic' } });

    expect(createStoreWith(text).read()?.values.industry).toBe('');
  });
});

describe('a storage that throws', () => {
  const fail = () => {
    throw new Error('forbidden');
  };

  test.each([
    ['when asked for', fail],
    ['when used', () => ({ getItem: fail, setItem: fail, removeItem: fail })],
  ])('%s: nothing is read and nothing fails', (_when, open) => {
    const store = createDraftStore(open);
    store.write(draft);
    store.remove();

    expect(store.read()).toBeUndefined();
  });
});
