import { whiteLabelPlatform } from '../../../shared/content/solution-pages/white-label-platform.ts';
import landscape from '../../assets/pictures/white-label-platform.jpg?hero';
import portrait from '../../assets/pictures/white-label-platform.jpg?right-half';
import { Scene } from '../../features/vignettes/white-label-platform-vignette.tsx';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'white-label-platform',
  whiteLabelPlatform,
  { landscape, portrait },
  {
    vignette: import.meta.env.SSR && <Scene />,
    vignetteSection: 'benefits',
    rhythm: {
      challenges: { tone: 'cream' },
      benefits: { tone: 'white', layout: 'bleed' },
      enterpriseBenefits: { tone: 'deep', layout: 'split' },
      howItWorks: { tone: 'cream', layout: 'mirrored' },
    },
  },
);
