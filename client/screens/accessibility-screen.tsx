import * as text from '#files/legal/accessibility.mdx';
import { makeLegalScreen } from './legal/legal-page.tsx';

export const { Screen, getMeta } = makeLegalScreen(text);
