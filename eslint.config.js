import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', '.data', 'node_modules', 'sample'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // `const { secret: _secret, ...rest }` is how a field is left out.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      // process.env is read in shared/platform/env.ts alone, so that every setting is checked once.
      'no-restricted-properties': ['error', { object: 'process', property: 'env' }],
    },
  },
  {
    files: ['shared/platform/env.ts', 'services/local/**', 'test/**', 'bench/**'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['test/**'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
  {
    // On the wire the platform's enums are plain numbers, and its flags are sums of them.
    files: ['test/support/discord/**', 'test/*/discordDouble/**'],
    rules: {
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
    },
  },
);
