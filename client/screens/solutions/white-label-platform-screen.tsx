import { whiteLabelPlatform } from '../../../shared/content/solution-pages/white-label-platform.ts';
import landscape from '../../assets/pictures/white-label-platform.jpg?hero';
import portrait from '../../assets/pictures/white-label-platform.jpg?right-half';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen('white-label-platform', whiteLabelPlatform, {
  landscape,
  portrait,
});
