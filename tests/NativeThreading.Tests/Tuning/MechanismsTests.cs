using System.Reflection;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Tuning;

/// <summary>What one build (-p:Ablation=true) can leave out is fixed in all others, and costs them nothing.</summary>
public sealed class MechanismsTests
{
    private static readonly FieldInfo[] s_fields = typeof(Mechanisms).GetFields(BindingFlags.Static | BindingFlags.Public);

#if !ABLATION
    [Fact]
    public void EachIsAConstant()
    {
        Assert.NotEmpty(s_fields);
        Assert.All(s_fields, static field => Assert.Equal(true, field.IsLiteral ? field.GetRawConstantValue() : null));
        Assert.Null(typeof(Mechanisms).TypeInitializer); // nor is the environment read
    }
#else
    [Fact]
    public void EachCanBeLeftOut() => Assert.All(s_fields, static field => Assert.True(field.IsInitOnly));
#endif
}
