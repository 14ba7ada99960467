import { contractCompliance } from '../../../shared/content/solution-pages/contract-compliance.ts';
import landscape from '../../assets/pictures/contract-compliance.jpg?hero';
import portrait from '../../assets/pictures/contract-compliance.jpg?right-half';
import { Scene } from '../../features/vignettes/contract-compliance-vignette.tsx';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'contract-compliance',
  contractCompliance,
  { landscape, portrait },
  {
    vignette: import.meta.env.SSR && <Scene />,
    vignetteSection: 'benefits',
    rhythm: {},
  },
);
