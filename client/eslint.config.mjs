import hooks from 'eslint-plugin-react-hooks';
import ts from 'typescript-eslint';
export default ts.config(...ts.configs.recommended, hooks.configs.flat.recommended, { rules: { 'max-lines': ['error', 250], 'max-lines-per-function': ['error', { max: 45, skipBlankLines: true, skipComments: true }] } });
