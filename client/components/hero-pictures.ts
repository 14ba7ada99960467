import aboutAvif from '../assets/pictures/hero-about.avif';
import aboutJpg from '../assets/pictures/hero-about.jpg';
import aboutWebp from '../assets/pictures/hero-about.webp';
import aboutPortraitAvif from '../assets/pictures/hero-about-portrait.avif';
import aboutPortraitJpg from '../assets/pictures/hero-about-portrait.jpg';
import aboutPortraitWebp from '../assets/pictures/hero-about-portrait.webp';
import homeAvif from '../assets/pictures/hero-home.avif';
import homeJpg from '../assets/pictures/hero-home.jpg';
import homeWebp from '../assets/pictures/hero-home.webp';
import homePortraitAvif from '../assets/pictures/hero-home-portrait.avif';
import homePortraitJpg from '../assets/pictures/hero-home-portrait.jpg';
import homePortraitWebp from '../assets/pictures/hero-home-portrait.webp';
import type { PictureSource } from './responsive-picture.tsx';

const heroSize = { width: 1920, height: 1080 } as const;

export const homeHeroPicture: PictureSource = {
  landscape: { avif: homeAvif, webp: homeWebp, jpg: homeJpg },
  portrait: { avif: homePortraitAvif, webp: homePortraitWebp, jpg: homePortraitJpg },
  ...heroSize,
};

export const aboutHeroPicture: PictureSource = {
  landscape: { avif: aboutAvif, webp: aboutWebp, jpg: aboutJpg },
  portrait: { avif: aboutPortraitAvif, webp: aboutPortraitWebp, jpg: aboutPortraitJpg },
  ...heroSize,
};
