import { expect, test } from 'vitest';
import { nameLog } from './received-log.ts';

test('a log sorts after the one before, also where that was begun by a clock that was ahead', () => {
  const first = nameLog('/archive', '7', undefined);
  expect(first).toMatchObject({ name: expect.stringMatching(/^\d{8}T\d{9}Z-7$/), systemId: '7' });

  const ahead = { ...first, name: '20991231T235959999Z-7' };
  expect(nameLog('/archive', '8', ahead)).toMatchObject({ name: '21000101T000000000Z-8', systemId: '8' });
});
