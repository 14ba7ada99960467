import { crossSellingAi } from '../../../shared/content/solution-pages/cross-selling-ai.ts';
import landscape from '../../assets/pictures/cross-selling-ai.jpg?hero';
import portrait from '../../assets/pictures/cross-selling-ai.jpg?right-half';
import { Scene } from '../../features/vignettes/cross-selling-ai-vignette.tsx';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'cross-selling-ai',
  crossSellingAi,
  { landscape, portrait },
  {
    vignette: import.meta.env.SSR && <Scene />,
    vignetteSection: 'benefits',
    rhythm: {
      pairs: { layout: 'mirrored' },
      benefits: { layout: 'pictureLast' },
      platform: { layout: 'split' },
    },
  },
);
