/// <reference types="vite/client" />

declare module 'virtual:font-files' {
  /** URLs of the fonts used in the first view. */
  export const fontFiles: readonly string[];
}

declare module 'virtual:day-format' {
  export const months: readonly string[];
  /** Contains `{day}`, `{month}` and `{year}`. */
  export const pattern: string;
}

declare module 'virtual:logo' {
  /** The owner's logo as SVG. */
  export const logo: string;
}

declare module 'virtual:icon-sprite' {
  /** URL of the sprite with all icons named in content. */
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
  /** Screen loaders by path, as in the screen registry. */
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
  /** Pictures by menu. */
  export const promoPictures: Readonly<
    Partial<Record<'solutions' | 'industries', import('./components/picture-source.ts').PictureFile>>
  >;
}

declare module 'virtual:article-pictures' {
  /** Pictures by name. */
  export const articlePictures: Readonly<Record<string, import('./components/picture-source.ts').PictureFile>>;
}

declare module 'virtual:articles' {
  /** Article loaders by slug. Only the article screen may import them. */
  export const articleLoaders: ReadonlyMap<
    string,
    () => Promise<import('./screens/article/article-pages.ts').ArticleModule>
  >;
}

declare module 'virtual:article-links' {
  /** Newest first. Modules that the gated listing loads must not import them. */
  export const articleLinks: readonly import('./screens/article/article-pages.ts').ArticleLink[];
}

// Legal texts, imported by their screens. `virtual:articles` provides the articles.
declare module '*.mdx' {
  export const frontmatter: import('../shared/content/content-schema.ts').LegalFrontMatter;
  export const tableOfContents: readonly import('./components/table-of-contents.tsx').Heading[];
  const Text: import('react').ComponentType<{
    components: import('./screens/legal/legal-page.tsx').LegalComponents;
  }>;
  export default Text;
}
