// How the scripts of the page are written. Names that are not there are found by tsc.
import js from "@eslint/js";

const MAKES_HTML = "/^(innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|dangerouslySetInnerHTML)$/";
const message = "What people and agents say is shown as text; only what the server made of Markdown is HTML.";

export default [
  { ignores: ["**/vendor/**"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "off",
      "no-unused-vars": ["error", { caughtErrors: "none", ignoreRestSiblings: true }],
      "array-callback-return": "error",
      eqeqeq: "error",
      "max-lines": ["error", 300],
      "no-alert": "error",
      "no-else-return": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-syntax": [
        "error",
        { selector: `Identifier[name=${MAKES_HTML}]`, message },
        { selector: "TemplateElement[value.raw=/(inner|outer)HTML/i]", message },
      ],
      "no-template-curly-in-string": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "prefer-template": "error",
    },
  },
];
