import { vendorManagement } from '../../../shared/content/solution-pages/vendor-management.ts';
import landscape from '../../assets/pictures/vendor-management.jpg?hero';
import portrait from '../../assets/pictures/vendor-management.jpg?right-half';
import { Scene } from '../../features/vignettes/vendor-management-vignette.tsx';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'vendor-management',
  vendorManagement,
  { landscape, portrait },
  {
    vignette: import.meta.env.SSR && <Scene />,
    vignetteSection: 'platform',
    rhythm: {
      pairs: { tone: 'cream' },
      benefits: { tone: 'white' },
      platform: { layout: 'pictureFirst' },
      enterpriseBenefits: { tone: 'cream' },
      howItWorks: { layout: 'mirrored' },
    },
  },
);
