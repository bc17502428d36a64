using System.Reflection;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>What is left out on the managed core is said to its users, too.</summary>
public sealed class NeedsNativeCoreTests
{
    private static readonly string[] s_reasons =
    [
        .. typeof(NeedsNativeCoreAttribute).GetFields(BindingFlags.Public | BindingFlags.Static)
            .Where(static field => field.IsLiteral).Select(static field => (string)field.GetRawConstantValue()!),
    ];

    [Fact]
    public void EachReason_IsADifferenceThatThePageTells()
    {
        string page = File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "reference", "platforms.md"));
        Assert.NotEmpty(s_reasons);
        Assert.All(s_reasons, reason => Assert.Contains($"- **{reason}", page, StringComparison.OrdinalIgnoreCase));
    }

    [Fact]
    public void EachTestThatIsLeftOut_HasOneOfThem() => Assert.All(
        typeof(NeedsNativeCoreTests).Assembly.GetTypes()
            .SelectMany(static type => type.GetMethods().Cast<MemberInfo>().Append(type))
            .SelectMany(static member => member.CustomAttributes.Where(static data => data.AttributeType == typeof(NeedsNativeCoreAttribute))),
        static data => Assert.Contains((string)data.ConstructorArguments[0].Value!, s_reasons));
}
