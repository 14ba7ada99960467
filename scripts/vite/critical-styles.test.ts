import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { splitStyles } from './critical-styles.ts';

const sheet = [
  '@layer tokens,base,first-view,components;',
  '@layer base{a{color:green}}',
  '@layer first-view{.card{color:red;& .name{top:0}}@media print{.card,.row{margin:0}}@keyframes turn{to{top:1px}}}',
  '@layer components{.late{color:blue}}',
  '@layer vignettes{.stage{color:tan}.sheet{& .row{top:1px}}}',
  '@font-face{font-family:F}',
].join('');

const { critical, rest, vignettes } = splitStyles(sheet);

test('what belongs to no class is for every document, the order of the layers first', () => {
  expect(critical.forAll).toBe(
    [
      '@layer tokens,base,first-view,components;',
      '@layer base{a{color:green}}',
      '@keyframes turn{to{top:1px}}',
      '@font-face{font-family:F}',
    ].join(''),
  );
});

test('a rule of the first view is for documents with one of its classes, nested ones too', () => {
  expect(critical.layer).toBe('first-view');
  expect(critical.byClass).toEqual([
    { classes: ['card', 'name'], css: '.card{color:red;& .name{top:0}}' },
    { classes: ['card', 'row'], css: '@media print{.card,.row{margin:0}}' },
  ]);
});

test('the sheet has everything a document may lack', () => {
  expect(rest).toContain('@layer first-view{.card{');
  expect(rest).toContain('@layer components{.late{color:blue}}');
  expect(rest).not.toContain('green');
});

test('the rules of vignettes are in a sheet of their own, with their classes', () => {
  expect(vignettes).toEqual({
    css: '@layer vignettes{.stage{color:tan}.sheet{& .row{top:1px}}}',
    classes: ['stage', 'sheet', 'row'],
  });
  expect(rest).not.toContain('stage');
});

test('a rule of the first view without a class is refused: nobody would know who needs it', () => {
  expect(() => splitStyles('@layer first-view{p{top:0}}')).toThrow('No class tells');
});

test.each(globSync('client/features/vignettes/*.css'))('%s has only rules of vignettes', (file) => {
  const layers = [...readFileSync(file, 'utf8').matchAll(/@layer ([\w.-]+)/g)].map(([, layer]) => layer);

  expect(layers.length).toBeGreaterThan(0);
  expect(layers.filter((layer) => !layer?.startsWith('vignettes'))).toEqual([]);
});
