package org.redislocked;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds the rule of the house: dependencies point down, {@code cdi → redis → core → root}, and each room knows only its own. */
@AnalyzeClasses(packages = "org.redislocked", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ROOT = "org.redislocked";
    private static final String CORE = "org.redislocked.core";
    private static final String REDIS = "org.redislocked.redis";
    private static final String CDI = "org.redislocked.cdi";

    @ArchTest
    static final ArchRule everyClass_anywhere_livesInOneOfFourPackages =
            classes().should().resideInAnyPackage(ROOT, CORE, REDIS, CDI);

    @ArchTest
    static final ArchRule packages_always_haveNoCycles =
            slices().matching("org.redislocked.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule root_always_knowsAnnotationsOnly = classes()
            .that()
            .resideInAPackage(ROOT)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    ROOT,
                    "java..",
                    "org.jspecify.annotations",
                    "jakarta.annotation..",
                    "jakarta.inject..",
                    "jakarta.interceptor..",
                    "jakarta.ejb..",
                    "jakarta.enterprise.util");

    @ArchTest
    static final ArchRule core_always_knowsJdkAndRootOnly = classes()
            .that()
            .resideInAPackage(CORE)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(CORE, ROOT, "java..", "org.jspecify.annotations");

    @ArchTest
    static final ArchRule redis_always_knowsJedisAndBelowOnly = classes()
            .that()
            .resideInAPackage(REDIS)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    REDIS, CORE, ROOT, "redis.clients..", "java..", "javax.net.ssl", "org.jspecify.annotations");

    @ArchTest
    static final ArchRule jedis_outsideRedis_isUnknown = noClasses()
            .that()
            .resideOutsideOfPackage(REDIS)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("redis.clients..");
}
