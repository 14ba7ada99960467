import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../processes.ts';
import { nameClass } from './class-names.ts';

const header = join(projectRoot, 'client', 'components', 'header.module.css');
const field = join(projectRoot, 'client', 'components', 'field.module.css');

test('every class has a name of its own, which it keeps', () => {
  const classes: [string, string][] = [
    ...Array.from({ length: 100 }, (_, index): [string, string] => [`class${index}`, header]),
    ['class0', field],
  ];
  const names = classes.map(([name, file]) => nameClass(name, file));

  expect(new Set(names).size).toBe(classes.length);
  expect(classes.map(([name, file]) => nameClass(name, file))).toEqual(names);
});

test('a name is one that CSS takes as it is', () => {
  expect(nameClass('header', header)).toMatch(/^[a-z][a-z\d]+$/);
});

test('a file that is none of the site’s styles is refused', () => {
  expect(() => nameClass('header', join(projectRoot, 'client', 'none.module.css'))).toThrow('none.module.css');
});
