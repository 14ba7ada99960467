import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { projectRoot } from '../processes.ts';

/** In base 36 this many and up to 935 more are a letter and a letter or digit. */
const FIRST_NUMBER = 360;

/** Every module of styles, with its number, which is the same in the browser's build and in the server's, and its classes. */
const files = new Map(
  globSync('client/**/*.module.css', { cwd: projectRoot })
    .sort()
    .map((path, index) => [path, { number: (FIRST_NUMBER + index).toString(36), classes: new Array<string>() }] as const),
);

/**
 * Names a class by the number of its file and its own in that file. Documents are full of them, and the digits of a
 * hash are what no compression makes shorter.
 * @param file absolute path of a module of styles
 */
export function nameClass(name: string, file: string): string {
  const known = files.get(relative(projectRoot, file));
  if (!known) throw new Error(`${file} is none of the site's modules of styles.`);
  const { number, classes } = known;
  if (!classes.includes(name)) classes.push(name);

  return `${number}${classes.indexOf(name).toString(36)}`;
}
