import { crossSellingAi } from '../../../shared/content/solution-pages/cross-selling-ai.ts';
import landscape from '../../assets/pictures/cross-selling-ai.jpg?hero';
import portrait from '../../assets/pictures/cross-selling-ai.jpg?right-half';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { load, Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'cross-selling-ai',
  crossSellingAi,
  { landscape, portrait },
  {
    importVignette: () => import('../../features/vignettes/cross-selling-ai-vignette.tsx'),
    vignetteSection: 'benefits',
    rhythm: {
      pairs: { layout: 'mirrored' },
      benefits: { layout: 'pictureLast' },
      platform: { layout: 'split' },
    },
  },
);
