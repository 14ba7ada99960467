import about from '../assets/pictures/hero-about.jpg?hero';
import aboutPortrait from '../assets/pictures/hero-about-portrait.jpg?portrait';
import home from '../assets/pictures/hero-home.jpg?hero';
import homePortrait from '../assets/pictures/hero-home-portrait.jpg?portrait';
import aboutMp4 from '../assets/videos/hero-about.mp4';
import aboutWebm from '../assets/videos/hero-about.webm';
import homeMp4 from '../assets/videos/hero-home.mp4';
import homeWebm from '../assets/videos/hero-home.webm';
import type { VideoSource } from './background-video.tsx';
import type { PictureSource } from './picture-source.ts';

export const homeHeroPicture: PictureSource = { landscape: home, portrait: homePortrait };
export const homeHeroVideo: VideoSource = { webm: homeWebm, mp4: homeMp4 };

export const aboutHeroPicture: PictureSource = { landscape: about, portrait: aboutPortrait };
export const aboutHeroVideo: VideoSource = { webm: aboutWebm, mp4: aboutMp4 };
