import { vendorManagement } from '../../../shared/content/solution-pages/vendor-management.ts';
import landscape from '../../assets/pictures/vendor-management.jpg?hero';
import portrait from '../../assets/pictures/vendor-management.jpg?right-half';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { load, Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'vendor-management',
  vendorManagement,
  { landscape, portrait },
  {
    importVignette: () => import('../../features/vignettes/vendor-management-vignette.tsx'),
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
