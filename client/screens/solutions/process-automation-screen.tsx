import { processAutomation } from '../../../shared/content/solution-pages/process-automation.ts';
import landscape from '../../assets/pictures/process-automation.jpg?hero';
import portrait from '../../assets/pictures/process-automation.jpg?right-half';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { load, Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'process-automation',
  processAutomation,
  { landscape, portrait },
  {
    importVignette: () => import('../../features/vignettes/process-automation-vignette.tsx'),
    vignetteSection: 'benefits',
    rhythm: {
      benefits: { tone: 'tint', layout: 'pictureFirst' },
      howItWorks: { tone: 'cream' },
    },
  },
);
