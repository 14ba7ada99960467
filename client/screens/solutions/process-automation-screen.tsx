import { processAutomation } from '../../../shared/content/solution-pages/process-automation.ts';
import landscape from '../../assets/pictures/process-automation.jpg?hero';
import portrait from '../../assets/pictures/process-automation.jpg?right-half';
import { Scene } from '../../features/vignettes/process-automation-vignette.tsx';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'process-automation',
  processAutomation,
  { landscape, portrait },
  {
    vignette: import.meta.env.SSR && <Scene />,
    vignetteSection: 'benefits',
    rhythm: {
      benefits: { tone: 'tint', layout: 'pictureFirst' },
      howItWorks: { tone: 'cream' },
    },
  },
);
