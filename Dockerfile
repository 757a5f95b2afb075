# One image for the API, the indexer and the command line; the command says which of them runs.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY services services
COPY shared shared
RUN npx tsc -p .

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY --from=build /app/dist dist
USER node
EXPOSE 3000
CMD ["node", "dist/services/api/main.js"]
