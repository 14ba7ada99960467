/// <reference types="vite/client" />

declare module 'virtual:font-files' {
  /** URLs of the fonts of the first view. */
  export const fontFiles: readonly string[];
}

declare module 'virtual:day-format' {
  export const months: readonly string[];
  /** Contains `{day}`, `{month}` and `{year}`. */
  export const pattern: string;
}

declare module 'virtual:logo' {
  /** The owner's SVG. */
  export const logo: string;
}

declare module 'virtual:icon-sprite' {
  /** URL of the sprite with all icons named by content. */
  const sprite: string;
  export default sprite;
}

// Picture variants: see scripts/vite/picture-directives.ts.
declare module '*?hero' {
  const file: import('./components/picture-source.ts').PictureFile;
  export default file;
}
declare module '*?portrait' {
  const file: import('./components/picture-source.ts').PictureFile;
  export default file;
}
declare module '*?right-half' {
  const file: import('./components/picture-source.ts').PictureFile;
  export default file;
}
declare module '*?center' {
  const file: import('./components/picture-source.ts').PictureFile;
  export default file;
}
declare module '*?column' {
  const file: import('./components/picture-source.ts').PictureFile;
  export default file;
}
declare module '*?card' {
  const file: import('./components/picture-source.ts').PictureFile;
  export default file;
}
declare module '*?promo' {
  const file: import('./components/picture-source.ts').PictureFile;
  export default file;
}

declare module 'virtual:content-screens' {
  /** By path, as in the screen registry. */
  export const contentScreens: Readonly<
    Record<string, () => Promise<import('./app/screen-registry.ts').ScreenModule>>
  >;
}

declare module 'virtual:solution-cards' {
  export const solutionCards: readonly (Pick<
    import('../shared/content/solution-schema.ts').SolutionPage,
    'name' | 'cardText' | 'accent'
  > & { readonly slug: string; readonly picture: import('./components/picture-source.ts').PictureFile })[];
}

declare module 'virtual:promo-pictures' {
  /** By menu. */
  export const promoPictures: Readonly<
    Partial<Record<'solutions' | 'industries', import('./components/picture-source.ts').PictureFile>>
  >;
}

declare module 'virtual:article-pictures' {
  /** By name. */
  export const articlePictures: Readonly<Record<string, import('./components/picture-source.ts').PictureFile>>;
}

declare module 'virtual:articles' {
  /** Loads an article by slug. Only the article screen may import it. */
  export const articleLoaders: ReadonlyMap<
    string,
    () => Promise<import('./screens/article/article-pages.ts').ArticleModule>
  >;
}

declare module 'virtual:article-links' {
  /** Newest first. Only modules the listing doesn't load may import them. */
  export const articleLinks: readonly import('./screens/article/article-pages.ts').ArticleLink[];
}

// Legal texts, imported by their screens. Articles come from `virtual:articles`.
declare module '*.mdx' {
  export const frontmatter: import('../shared/content/content-schema.ts').LegalFrontMatter;
  export const tableOfContents: readonly import('./components/table-of-contents.tsx').Heading[];
  const Text: import('react').ComponentType<{
    components: import('./screens/legal/legal-page.tsx').LegalComponents;
  }>;
  export default Text;
}
