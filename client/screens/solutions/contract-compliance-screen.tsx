import { contractCompliance } from '../../../shared/content/solution-pages/contract-compliance.ts';
import landscape from '../../assets/pictures/contract-compliance.jpg?hero';
import portrait from '../../assets/pictures/contract-compliance.jpg?right-half';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { load, Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'contract-compliance',
  contractCompliance,
  { landscape, portrait },
  {
    importVignette: () => import('../../features/vignettes/contract-compliance-vignette.tsx'),
    vignetteSection: 'benefits',
    rhythm: {},
  },
);
