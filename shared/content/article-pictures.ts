/**
 * Pictures of articles, named by what they show: the file names are in a script that visitors of
 * the locked listing load, and must not tell which articles there are.
 */
export const articlePictures = [
  'caged-sphere',
  'capsules',
  'five-spheres',
  'golden-balance',
  'golden-wave',
  'renewed-row',
  'rising-columns',
  'seven-streams',
  'three-belts',
] as const;

export type ArticlePicture = (typeof articlePictures)[number];
