{
  description = "A durable task executor: setTimeout and setInterval as a service.";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-25.11";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forEach (
        pkgs:
        let
          jdk = pkgs.jdk25_headless;
        in
        {
          # The jar form, with the launcher that the images have too.
          default = pkgs.maven.buildMavenPackage {
            pname = "taskexec";
            version = "0.1.0";
            src = self;

            # Of all that Maven loads. Another pom.xml has another one, which `nix build` tells: see deploy/README.md.
            mvnHash = pkgs.lib.fakeHash;
            mvnJdk = jdk;
            mvnParameters = "-Dmaven.test.skip=true -Dspotless.check.skip=true -Djacoco.skip=true";

            nativeBuildInputs = [ pkgs.makeWrapper ];

            installPhase = ''
              runHook preInstall

              mkdir -p $out/share/taskexec
              cp -r target/quarkus-app/. $out/share/taskexec
              makeWrapper ${jdk}/bin/java $out/bin/taskexec --add-flags \
                "-XX:+UseSerialGC -Xmn48m -XX:+UseCompactObjectHeaders -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -jar $out/share/taskexec/quarkus-run.jar"

              runHook postInstall
            '';

            meta = {
              description = "A durable task executor";
              license = pkgs.lib.licenses.asl20;
              mainProgram = "taskexec";
            };
          };
        }
      );

      devShells = forEach (pkgs: {
        # What ./taskexec, ./verify and ./bench/run look for. openssl: the Redis of the tests is linked with it.
        default = pkgs.mkShell {
          packages = [
            pkgs.jdk25
            pkgs.maven
            pkgs.openssl
          ];
          JAVA_HOME = pkgs.jdk25.home;
        };

        # The same with a GraalVM, for `mvn package -Dnative`.
        native = pkgs.mkShell {
          packages = [
            pkgs.graalvmPackages.graalvm-ce
            pkgs.maven
          ];
          JAVA_HOME = "${pkgs.graalvmPackages.graalvm-ce}";
        };
      });
    };
}
