import { aiTransformation } from '../../../shared/content/solution-pages/ai-transformation.ts';
import landscape from '../../assets/pictures/ai-transformation.jpg?hero';
import portrait from '../../assets/pictures/ai-transformation.jpg?right-half';
import { EstimateSection } from '../../features/estimate/estimate-section.tsx';
import { Scene } from '../../features/vignettes/ai-transformation-vignette.tsx';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'ai-transformation',
  aiTransformation,
  { landscape, portrait },
  {
    vignette: import.meta.env.SSR && <Scene />,
    vignetteSection: 'benefits',
    rhythm: {
      challenges: { layout: 'split' },
      benefits: { tone: 'deep' },
      mapping: { tone: 'cream' },
      howItWorks: { layout: 'mirrored' },
    },
  },
  <EstimateSection />,
);
